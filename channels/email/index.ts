/** E-mail: what comes into a mailbox by IMAP is answered by SMTP. */
import type { ChannelKind } from '../../src/serve/channels/index.ts';
import { type EmailSettings, emailSettings } from './settings.ts';

export const email: ChannelKind<EmailSettings> = {
  settings: emailSettings,
  // Readers cut a page of HTML off after some 100 KB.
  mostText: 40_000,
  open: async (host) => (await import('./channel.ts')).openEmail(host),
};
