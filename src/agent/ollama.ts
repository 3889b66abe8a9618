/** Models of an Ollama that runs on this machine, or where OLLAMA_HOST says. */
import { z } from 'zod';
import type { Environment } from './providers.ts';
import { variable } from './providers.ts';

const PORT = 11_434;
/** Whoever is there answers at once; nobody is waited for. ms */
const PROBE_MS = 500;
/** So many models are asked for what they can do. */
const ASKED = 5;

/** `http://127.0.0.1:11434`, or what OLLAMA_HOST says, in any form that Ollama itself takes. */
export function ollamaAddress(env: Environment): string {
  const given = (variable(env, 'OLLAMA_HOST') ?? '').trim();
  const [, scheme, rest = ''] = /^(?:(https?):\/\/)?(.*?)\/*$/.exec(given) ?? [];
  const [, host = '', port] = /^(\[[^\]]*\]|[^:/]*)(?::(\d+))?/.exec(rest) ?? [];
  const path = rest.slice(host.length + (port === undefined ? 0 : port.length + 1));
  // An address to listen on is none to call.
  const called = host === '' || host === '0.0.0.0' || host === '[::]' ? '127.0.0.1' : host;
  const usual = scheme === undefined ? `:${PORT}` : '';
  return `${scheme ?? 'http'}://${called}${port === undefined ? usual : `:${port}`}${path}`;
}

const tags = z.object({ models: z.array(z.object({ name: z.string() })) });
const shown = z.object({ capabilities: z.array(z.string()).optional() });

/**
 * The models that are there, the one used last first; null where nobody answers.
 * Nothing but addresses goes out: a probe of another program's port asks for a list.
 */
export async function ollamaModels(env: Environment): Promise<string[] | null> {
  const answer = await ask(`${ollamaAddress(env)}/api/tags`);
  const found = tags.safeParse(answer);
  return found.success ? found.data.models.map(({ name }) => name) : null;
}

/** The first model that can call tools; null without one. */
export async function ollamaDefault(env: Environment): Promise<string | null> {
  for (const model of ((await ollamaModels(env)) ?? []).slice(0, ASKED)) {
    const body = JSON.stringify({ model });
    const answer = shown.safeParse(await ask(`${ollamaAddress(env)}/api/show`, body));
    if (answer.success && answer.data.capabilities?.includes('tools')) return model;
  }
  return null;
}

/** What the server answers as JSON; null where nobody is there, or somebody else. */
async function ask(url: string, body?: string): Promise<unknown> {
  try {
    const response = await fetch(url, {
      signal: AbortSignal.timeout(PROBE_MS),
      redirect: 'error',
      ...(body === undefined ? {} : { method: 'POST', body }),
    });
    return response.ok ? await response.json() : null;
  } catch (error) {
    // Whether somebody is there is all that was asked; no other failure has these names.
    if (error instanceof TypeError || error instanceof SyntaxError) return null;
    if (error instanceof DOMException) return null;
    throw error;
  }
}
