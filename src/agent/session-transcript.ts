/** The session of a world as the transcript of its turns. */
import type { ModelMessage } from 'ai';
import type { SessionLog } from '../session/log.ts';
import { modelView } from '../session/model-view.ts';
import type { Transcript } from './transcript.ts';

export function sessionTranscript(session: SessionLog): Transcript {
  const context = () => session.context();
  return {
    id: session.id,
    append: (draft) => session.append(draft),
    emit: (event) => session.emit(event),
    context,
    view: () => {
      const { messages, tokens } = modelView(context());
      // The log holds messages as the SDK made them; other kinds of parts are passed on.
      return { messages: messages as ModelMessage[], tokens };
    },
  };
}
