/** What a mount knows that is in no database: it goes on where the mount turns out to be another account's. */
import { OwnDirectories } from '../reading/own-directories.ts';
import { ReadTexts } from '../reading/read-texts.ts';

export class OwnState {
  /** What was read: an edit starts from it. */
  readonly readTexts = new ReadTexts();
  /** Directories made here that the service has once a file is in them. */
  readonly directories = new OwnDirectories();
  /** When the mount was made: the time of what has none. */
  readonly born: Date;

  constructor(born: Date) {
    this.born = born;
  }
}
