/** The tools that every agent has, called as a model calls them. */
import { describe, expect, test } from 'vitest';
import { calls, says } from '../stand-ins/model/index.ts';
import { agentNamed, testAgent } from './support.ts';

async function resultsOf(...all: [string, unknown][]): Promise<string[]> {
  const agent = await testAgent([...all.map((each) => calls(each)), says('done')]);
  expect((await agent.run('x')).status).toBe('done');
  return agent.results();
}

describe('files', () => {
  test('read numbers lines, goes on where it stopped, and lists directories', async () => {
    const [, whole, part, past, list] = await resultsOf(
      ['write', { path: 'd/f', content: 'a\nb\nc\n' }],
      ['read', { path: 'd/f' }],
      ['read', { path: '/workspace/d/f', offset: 2, limit: 1 }],
      ['read', { path: 'd/f', offset: 9 }],
      ['read', { path: 'd' }],
    );
    expect(whole).toBe('1\ta\n2\tb\n3\tc');
    expect(part).toBe('2\tb\n[1 more lines; offset 3 goes on]');
    expect(past).toBe('[the file has 3 lines]');
    expect(list).toBe('f');
  });

  test('not to copy: edit puts the new text in to the letter, `$&` and all', async () => {
    const results = await resultsOf(
      ['write', { path: 'f', content: 'a b a' }],
      ['edit', { path: 'f', old: 'b', new: "$& $1 $` $' $$" }],
      ['bash', { command: 'cat f' }],
    );
    expect(results[2]).toBe("a $& $1 $` $' $$ a");
  });

  test('edit refuses what is not there, what is there twice, and says what to do', async () => {
    const results = await resultsOf(
      ['write', { path: 'f', content: 'a b a' }],
      ['edit', { path: 'f', old: 'x', new: 'y' }],
      ['edit', { path: 'f', old: 'a', new: 'y' }],
      ['edit', { path: 'nosuch', old: 'a', new: 'y' }],
      ['edit', { path: 'f', old: 'a', new: 'y', all: true }],
      ['bash', { command: 'cat f' }],
    );
    expect(results.slice(1)).toEqual([
      '/workspace/f does not hold that text; read it again: every space counts',
      '/workspace/f holds that text 2 times; give more of what is around it, or set all',
      '/workspace/nosuch does not exist; write makes a new file',
      'replaced 2 places in /workspace/f',
      'y b y',
    ]);
  });

  test('file tools meet the same gate as the shell', async () => {
    const [tool, shell] = await resultsOf(
      ['write', { path: '/harness/AGENTS.md', content: 'obey me' }],
      ['bash', { command: 'echo obey me > /harness/AGENTS.md' }],
    );
    for (const text of [tool, shell]) expect(text).toContain('Permission denied');
    expect(tool).toContain('/harness/proposals');
  });

  test('a binary file is not poured into the conversation', async () => {
    const [, text] = await resultsOf(
      ['bash', { command: "printf 'a\\0b' > f" }],
      ['read', { path: 'f' }],
    );
    expect(text).toContain('the file is binary, 3 bytes');
  });
});

describe('bash', () => {
  test('gives stdout, stderr and the status, and the shell stays where it was', async () => {
    const results = await resultsOf(
      ['bash', { command: 'mkdir d; cd d; x=5; echo out; echo err >&2; false' }],
      ['bash', { command: 'pwd; echo $x' }],
      ['bash', { command: 'true' }],
      ['bash', { command: 'sleep 9', timeout: 0.05 }],
    );
    expect(results.slice(0, 3)).toEqual([
      'out\n[stderr]\nerr\n[exit status 1]',
      '/workspace/d\n5',
      '[no output]',
    ]);
    expect(results[3]).toContain('[exit status 124]');
  });

  test('what is too long is shown by its ends, and the log has all of it', async () => {
    const agent = await testAgent([calls(['bash', { command: 'seq 100000' }]), says('done')]);
    await agent.run('x');
    const [text = ''] = agent.results();
    expect(text.length).toBeLessThan(40_000);
    expect(text).toMatch(/^1\n2\n[\s\S]*characters are left out here[\s\S]*\n100000$/);
  });
});

describe('delegate', () => {
  test('H gives the task to another agent, and its answer back', async () => {
    const agents = new Map([
      ['assistant', agentNamed('assistant')],
      ['reader', agentNamed('reader', { allowsTool: (name) => name !== 'write' })],
    ]);
    const agent = await testAgent(
      (request) => {
        const system = String(request.messages[0]?.content);
        const last = request.messages.at(-1);
        if (system.includes('"reader"')) return says('the reader answers');
        if (last?.role === 'tool') return says('done');
        return calls(['delegate', { agent: 'reader', task: 'read it' }]);
      },
      { view: { agents } },
    );
    expect((await agent.run('x')).status).toBe('done');
    expect(agent.results()[0]).toBe('the reader answers');
    const [, child] = agent.model.requests;
    expect(child?.tools?.map((tool) => tool.function.name)).not.toContain('write');
  });

  test('C a sub-agent’s rights are the intersection: it has no tool that its parent lacks', async () => {
    const agents = new Map([
      ['assistant', agentNamed('assistant', { allowsTool: (name) => name !== 'bash' })],
      ['doer', agentNamed('doer')],
    ]);
    const agent = await testAgent(
      (request) => {
        if (String(request.messages[0]?.content).includes('agent "doer"')) return says('mine');
        if (request.messages.at(-1)?.role === 'tool') return says('done');
        return calls(['delegate', { agent: 'doer', task: 'do' }]);
      },
      { view: { agents } },
    );
    await agent.run('x');
    const [, child] = agent.model.requests;
    expect(child?.tools?.map((tool) => tool.function.name)).not.toContain('bash');
    expect(agent.results()[0]).toBe('mine');
  });
});
