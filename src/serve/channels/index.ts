/** What a kind of channel is made of: all of the house that one may know. */
export { ConfigError } from '../../errors.ts';
export { isAnswer } from './commands.ts';
export {
  type ChannelHost,
  type ChannelKind,
  type ChannelMemory,
  type Doubt,
  type IncomingFile,
  type IncomingMessage,
  NotSent,
  type OpenChannel,
  type OutgoingButton,
  type OutgoingFile,
  type OutgoingMessage,
  type PressedButton,
  type Sender,
} from './contract.ts';
