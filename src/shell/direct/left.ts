/** The status of a command that is left to the interpreter: nothing has been done. */
export const LEFT = -1;
