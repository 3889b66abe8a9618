/** How a statement ended: what the statements around it have to do. */

export const NORMAL = 0;
export const BREAK = 1;
export const CONTINUE = 2;
export const NEXT = 3;
export const NEXTFILE = 4;
export const EXIT = 5;
export const RETURN = 6;

export type Signal = 0 | 1 | 2 | 3 | 4 | 5 | 6;
