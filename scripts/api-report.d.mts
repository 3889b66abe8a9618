/** The reports of the package's doors: where each is kept, from the root, and its text. */
export function apiReports(): { report: string; text: string }[];
