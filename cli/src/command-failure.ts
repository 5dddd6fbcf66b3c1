/** An expected error of a command: its message says what to do, its code decides the exit code. */
export class CommandFailure extends Error {
  /** A code of the service, such as `NOT_FOUND`; `VALIDATION_ERROR` for bad usage. */
  readonly code: string

  constructor(code: string, message: string) {
    super(message)
    this.code = code
  }
}
