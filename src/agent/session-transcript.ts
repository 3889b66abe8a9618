/** The session of a world as the transcript of its turns. */
import type { ModelMessage } from 'ai';
import type { SessionLog } from '../session/log.ts';
import { modelView } from '../session/model-view.ts';
import type { Transcript } from './transcript.ts';

export function sessionTranscript(session: SessionLog): Transcript {
  const context = () => session.context();
  let failure: Error | null = null;
  const tellFailure = (): void => {
    const told = failure;
    failure = null;
    if (told !== null) throw told;
  };
  return {
    id: session.id,
    append: (draft) => {
      tellFailure();
      return session.append(draft);
    },
    appendLater: (draft) => {
      tellFailure();
      session.record(draft).catch((error: Error) => {
        failure ??= error;
      });
    },
    emit: (event) => session.emit(event),
    sign: () => session.sign(),
    context,
    view: () => {
      tellFailure();
      const { messages, tokens } = modelView(context());
      // The log holds messages as the SDK made them; other kinds of parts are passed on.
      return { messages: messages as ModelMessage[], tokens };
    },
  };
}
