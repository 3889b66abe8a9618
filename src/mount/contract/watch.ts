/** Watches what is asked of mounts that wait for something outside. */
export interface MountWatch {
  around<T>(mount: string, work: () => Promise<T>): Promise<T>;
}
