/** The fields of a Discord channel. */
import { z } from 'zod';

export const discordSettings = z.strictObject({
  /** The variable of the environment that has the token of the bot. */
  token: z.string().min(1).default('DISCORD_BOT_TOKEN'),
  /** Of a server that speaks as Discord does. */
  baseUrl: z.url().default('https://discord.com'),
});

export type DiscordSettings = z.output<typeof discordSettings>;
