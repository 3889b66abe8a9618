/** The numbers by which Node.js and its kernel call what a file is, and how it is opened. */

export const O_CREAT = 0o100;
export const O_EXCL = 0o200;
export const O_TRUNC = 0o1000;
export const O_APPEND = 0o2000;
export const O_DIRECTORY = 0o200_000;
export const O_ACCMODE = 3;
export const S_IFMT = 0o170_000;
export const S_IFDIR = 0o040_000;
export const S_IFCHR = 0o020_000;
export const S_IFREG = 0o100_000;
export const S_IFLNK = 0o120_000;
export const S_IFIFO = 0o010_000;
export const COPYFILE_EXCL = 1;
/** What the shell makes files with. */
export const UMASK = 0o022;
export const BLOCK = 512;
