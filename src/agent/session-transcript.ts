/** The session of a world as the transcript of its turns. */
import type { ModelMessage } from 'ai';
import type { SessionLog } from '../session/log.ts';
import type { Transcript, TurnEvent } from './transcript.ts';

/** @param onEvent told of what passes and is not kept */
export function sessionTranscript(
  session: SessionLog,
  onEvent: (event: TurnEvent) => void = () => undefined,
): Transcript {
  const context = () => session.entries();
  return {
    id: session.id,
    append: (draft) => session.append(draft),
    emit: onEvent,
    context,
    view: () => {
      const messages = context().flatMap((entry) =>
        entry.type === 'message' ? [entry['message'] as ModelMessage] : [],
      );
      return { messages, tokens: 0 };
    },
  };
}
