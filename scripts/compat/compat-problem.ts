/** Something the person at the keyboard has to put right; shown without a stack. */
export class CompatProblem extends Error {}
