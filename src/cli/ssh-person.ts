/** The person at the terminal of an SSH client: the prompt of `dirigent sh`, and its questions. */
import { Writable } from 'node:stream';
import type { Visit } from '../doors/door.ts';
import type { Person } from '../doors/ssh/session.ts';
import type { SshTerminal } from '../doors/ssh/terminal.ts';
import type { Approval } from '../policy/approval.ts';
import type { Desk } from './desk.ts';
import { type InteractiveWorld, runAtTerminal, runInteractive } from './interactive.ts';
import type { TerminalInput } from './line-reader.ts';
import { Output } from './output.ts';

/** @param suggest the line of the deployer's that runs another command on the same world */
export function personAt(terminal: SshTerminal, suggest: (command: string) => string): Person {
  const desk: Desk = { onAsked: () => undefined };
  return {
    onApproval: (approval) => desk.onAsked(approval),
    run: async (visit, command) => {
      const options = {
        world: await promptWorld(visit),
        // It has what is needed of a terminal's input.
        input: terminal as unknown as TerminalInput,
        prompts: promptsOn(terminal),
        output: outputOn(terminal),
        suggest,
        desk,
        history: null,
        remote: {
          onInterrupt: (listener: () => void) => {
            terminal.on('interrupt', listener).on('hangup', listener);
            return () => void terminal.off('interrupt', listener).off('hangup', listener);
          },
          env: { TERM: terminal.term },
        },
      };
      return command === null
        ? await runInteractive(options)
        : await runAtTerminal(options, command);
    },
  };
}

function outputOn(terminal: SshTerminal): Output {
  return new Output({
    out: (data) => terminal.write(data),
    err: (data) => terminal.write(data),
    errIsTerminal: true,
    outIsTerminal: true,
    rows: () => terminal.size.rows,
    columns: () => terminal.size.columns,
  });
}

/** What readline draws on: it asks for the columns, and listens for their change. */
function promptsOn(terminal: SshTerminal): NodeJS.WritableStream {
  const stream = new Writable({
    decodeStrings: false,
    write: (text: string | Buffer, _, done) => {
      terminal.write(text).then(() => done(), done);
    },
  });
  Object.defineProperties(stream, {
    isTTY: { value: true },
    columns: { get: () => terminal.size.columns },
    rows: { get: () => terminal.size.rows },
  });
  terminal.on('resize', () => stream.emit('resize'));
  return stream;
}

/** A visit, as the prompt needs it. */
async function promptWorld(visit: Visit): Promise<InteractiveWorld> {
  const shown = new Map<string, Approval>();
  return {
    get cwd() {
      return visit.cwd;
    },
    // Of a dry run the change that waits is told after the command.
    dryRun: false,
    fs: visit.fs,
    exec: (command, options) => visit.exec(command, options),
    usage: () => ({}),
    commands: () => visit.fs.readdir('/bin'),
    // What waits is the deployer's to apply, and its list is in /session/changes.
    changes: { list: async () => [] },
    approvals: {
      get: async (id) => {
        const found = (await visit.approvals.pending()).find((each) => each.id === id);
        if (found !== undefined) shown.set(id, found);
        return found ?? null;
      },
      // What is answered is what was shown last.
      answer: async (id, { by: _, ...answer }) => {
        const approval = shown.get(id);
        return approval === undefined ? null : visit.approvals.decide(approval, answer);
      },
    },
  };
}
