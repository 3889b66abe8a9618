/** The fields of a Telegram channel. */
import { z } from 'zod';

export const telegramSettings = z.strictObject({
  /** The variable of the environment that has the token of the bot. */
  token: z.string().min(1).default('TELEGRAM_BOT_TOKEN'),
  /** `webhook`: Telegram sends to `/channels/NAME` what comes; it has to be told the address. */
  mode: z.enum(['polling', 'webhook']).default('polling'),
  /** The variable that has what Telegram sends with each request, so that nobody else's is taken. */
  secret: z.string().min(1).default('TELEGRAM_WEBHOOK_SECRET'),
  /** Of a Bot API server of one's own. */
  baseUrl: z.url().optional(),
});

export type TelegramSettings = z.output<typeof telegramSettings>;
