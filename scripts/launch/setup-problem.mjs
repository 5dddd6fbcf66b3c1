import { statSync } from 'node:fs'
import { userInfo } from 'node:os'

/** A problem that the user has to fix; printed without a stack. */
export class SetupProblem extends Error {
  constructor(message, exitCode) {
    super(message)
    this.exitCode = exitCode
  }

  static unwritable(folder, cause) {
    const { uid: owner } = statSync(folder)
    return new SetupProblem(
      `[setup] The dependencies must be installed, but ${folder} cannot be written ` +
        `(${cause.code}; owner uid ${owner}, you are uid ${userInfo().uid}).\n` +
        '[setup] Run "npm ci" there as its owner, or work in a clone of your own.',
      78,
    )
  }
}
