/** The port is in use, or the address is not one of this machine. */
export class CannotListen extends Error {}
