/** A problem that the user has to fix; printed without a stack. */
export class CompatProblem extends Error {}
