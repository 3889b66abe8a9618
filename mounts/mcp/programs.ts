/** Tools and prompts as programs: their help, what a call sends, and what of it a person is shown. */

import { z } from 'zod';
import {
  type CallEffect,
  type Problem,
  type Program,
  type ProgramInput,
  type ProgramOutput,
  ServiceFailure,
  type ServiceRequest,
} from '../../src/mount/index.ts';
import { check } from './checking.ts';
import type { McpClient } from './client.ts';
import { promptOutput, toolOutput } from './output.ts';
import type { Prompt, Tool } from './schemas.ts';
import { digestOf, type McpStore } from './store.ts';
import { escapeControls, lines, optionLines, WordFault, type Words, wordsOf } from './words.ts';

type Schema = Readonly<Record<string, unknown>>;

export interface ProgramsOptions {
  /** The server's name in the config. */
  name: string;
  title: string;
  client: McpClient;
  store: McpStore;
  /** Is what a tool says of its own effect believed? */
  trustHints: boolean;
  /** Brings a list in step. Throws ServiceFailure. */
  ensure(list: 'tools' | 'prompts'): Promise<void>;
  /** A sentence for stderr. */
  notice(text: string): void;
}

const bodySchema = z.object({
  name: z.string(),
  arguments: z.record(z.string(), z.unknown()),
  definition: z.string(),
});

export class Programs {
  readonly #options: ProgramsOptions;

  constructor(options: ProgramsOptions) {
    this.#options = options;
  }

  get tool(): Program {
    const { store, client } = this.#options;
    return {
      plan: ({ tool = '' }, input) => {
        const { value } = need(store.tool(tool), tool);
        return this.#plan(input, value.name, value.inputSchema, value, this.#toolHelp(value), {
          method: 'tools/call',
          effect: this.#effect(value),
          show: toolOutput,
        });
      },
      send: async ({ tool = '' }, request, signal) => {
        const { body, definition } = await this.#current('tools', tool, request);
        return client.call(definition as Tool, body.arguments, signal);
      },
      show: (answer) => toolOutput(answer),
    };
  }

  get prompt(): Program {
    const { store, client } = this.#options;
    return {
      plan: ({ prompt = '' }, input) => {
        const { value } = need(store.prompt(prompt), prompt);
        return this.#plan(input, value.name, schemaOf(value), value, this.#promptHelp(value), {
          method: 'prompts/get',
          effect: 'reads',
          show: promptOutput,
        });
      },
      send: async ({ prompt = '' }, request, signal) => {
        const { body } = await this.#current('prompts', prompt, request);
        const texts = Object.entries(body.arguments).map(([name, value]) => [name, String(value)]);
        return client.prompt(body.name, Object.fromEntries(texts), signal);
      },
      show: (answer) => promptOutput(answer),
    };
  }

  /** The text of a program's file: what it is, and for a copy, that it calls nothing. */
  text(kind: 'tool' | 'prompt', definition: Tool | Prompt): string {
    const help =
      kind === 'tool' ? this.#toolHelp(definition as Tool) : this.#promptHelp(definition as Prompt);
    const said = help.map((line) => `# ${line}`.trimEnd());
    return [
      '#!/bin/sh',
      ...said,
      'printf \'%s: this is a copy, which calls nothing: run the program where it is mounted\\n\' "$0" >&2',
      'return 126 2>/dev/null || exit 126',
      '',
    ].join('\n');
  }

  // --- within

  #plan(
    input: ProgramInput,
    name: string,
    schema: Schema,
    definition: unknown,
    help: readonly string[],
    {
      method,
      effect,
      show,
    }: {
      method: string;
      effect: CallEffect;
      show(answer: unknown, wanted: Words): ProgramOutput;
    },
  ) {
    let words: Words;
    try {
      words = wordsOf(input, schema);
    } catch (error) {
      if (error instanceof WordFault) return misused(input, [error.message]);
      throw error;
    }
    if (words.help) return said(help);
    const { problems, unchecked } = check(schema, words.arguments);
    if (problems.length > 0) return misused(input, problems.map(problemText), words.tookStdin);
    if (unchecked !== undefined) {
      this.#options.notice(
        `the schema of ${escapeControls(name)} cannot be used (${escapeControls(unchecked)}): its arguments are sent unchecked`,
      );
    }
    const digest = digestOf(definition);
    const body = { name, arguments: words.arguments, definition: digest };
    const request: ServiceRequest = { method: 'POST', url: method, body };
    const shown = JSON.stringify(
      {
        server: this.#options.name,
        [method]: name,
        arguments: words.arguments,
        definition: digest,
      },
      null,
      2,
    );
    return {
      program: name,
      effect,
      request,
      shown,
      show: (answer: unknown) => ({ ...show(answer, words), tookStdin: words.tookStdin }),
    };
  }

  /** The definition that a request was made for, if it is still the server's. Throws ServiceFailure. */
  async #current(list: 'tools' | 'prompts', file: string, request: ServiceRequest) {
    const { store, title, ensure } = this.#options;
    const body = bodySchema.parse(request.body);
    await ensure(list);
    const held = list === 'tools' ? store.tool(file) : store.prompt(file);
    if (held === null || digestOf(held.value) !== body.definition) {
      throw new ServiceFailure(
        'invalid',
        `${title} has another definition of ${escapeControls(body.name)} now than this call was made for: read it again, and call it again`,
        { unsent: true },
      );
    }
    return { body, definition: held.value };
  }

  #effect({ annotations = {} }: Tool): CallEffect {
    if (!this.#options.trustHints) return 'destroys';
    if (annotations.readOnlyHint === true) return 'reads';
    return annotations.destructiveHint === false ? 'changes' : 'destroys';
  }

  #toolHelp(tool: Tool): string[] {
    const { annotations = {} } = tool;
    const hints = [
      annotations.readOnlyHint === true ? 'it only reads' : null,
      annotations.destructiveHint === false ? 'what it changes can be undone' : null,
    ].filter((one) => one !== null);
    const believed = this.#options.trustHints ? '' : ' (which is not relied on)';
    return [
      ...this.#headOf('tool', tool),
      ...(hints.length === 0
        ? []
        : ['', `The server says that ${hints.join(' and ')}${believed}.`]),
      '',
      ...usage(optionLines(tool.inputSchema)),
    ];
  }

  #promptHelp(prompt: Prompt): string[] {
    return [...this.#headOf('prompt', prompt), '', ...usage(optionLines(schemaOf(prompt)))];
  }

  #headOf(kind: string, { name, title, description }: Tool | Prompt): string[] {
    const called = title === undefined || title === name ? '' : `: ${escapeControls(title)}`;
    return [
      `${escapeControls(name)}, a ${kind} of ${this.#options.title}${called}`,
      ...(description === undefined ? [] : ['', ...lines(description)]),
    ];
  }
}

function need<T>(held: T | null, file: string): T {
  if (held === null) throw new ServiceFailure('missing', `there is no ${file}`);
  return held;
}

/** The arguments of a prompt are texts. */
function schemaOf({ arguments: list = [] }: Prompt): Schema {
  return {
    type: 'object',
    properties: Object.fromEntries(
      list.map(({ name, description }) => [
        name,
        { type: 'string', ...(description && { description }) },
      ]),
    ),
    required: list.flatMap(({ name, required }) => (required === true ? [name] : [])),
    additionalProperties: false,
  };
}

const usage = (options: readonly string[]): string[] => [
  'Arguments, as options or as one JSON object on stdin:',
  ...(options.length === 0 ? ['  none'] : options),
  '',
  'Lists are given an item at a time, or as JSON; what is nested, as JSON.',
  'Besides: -o FILE writes the answer to a file, -j shows all of it as JSON, -h this help.',
];

const said = (text: readonly string[]): ProgramOutput => ({
  stdout: Buffer.from(`${text.join('\n')}\n`),
  stderr: '',
  exitCode: 0,
});

function misused(
  { name }: ProgramInput,
  faults: readonly string[],
  tookStdin = false,
): ProgramOutput {
  const told = faults.map((fault) => `${name}: ${escapeControls(fault)}\n`).join('');
  return {
    stdout: new Uint8Array(),
    stderr: `${told}${name}: nothing was called; --help tells the arguments\n`,
    exitCode: 2,
    tookStdin,
  };
}

const problemText = ({ field, message }: Problem): string =>
  field === '' ? message : `${field}: ${message}`;
