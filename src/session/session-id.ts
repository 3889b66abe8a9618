/** Ids become names of directories. */
export const isSessionId = (text: string): boolean => /^[0-9A-HJKMNP-TV-Z]{26}$/.test(text);
