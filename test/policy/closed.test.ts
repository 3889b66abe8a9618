/** The gate fails closed: no answer, a late one, or a throw is a refusal, and never a crash. */
import { describe, expect, test } from 'vitest';
import { contextOf } from '../../src/policy/context.ts';
import { DECISION_MS, runHook } from '../../src/policy/hooks.ts';
import { Keeper } from '../../src/policy/keeper.ts';
import type { KeeperOptions } from '../../src/policy/keeper-options.ts';

const OPERATION = { op: 'write', path: '/mnt/x/f', mount: '/mnt/x' } as const;
const ACTING = { context: contextOf({ actor: 'assistant' }) };

function keeperWith(more: Partial<KeeperOptions> = {}): Keeper {
  return new Keeper({
    modes: () => ({ decision: 'allow', rule: '', reason: '' }),
    mountAt: () => ({ kind: 'disk', service: false, outside: false }),
    approvals: () => {
      throw new Error('the journal is gone');
    },
    session: 's',
    hooks: null,
    ...more,
  });
}

describe('C fail closed', () => {
  test('a hook that does not answer within 5 s is a refusal', async () => {
    expect(DECISION_MS).toBe(5_000);
    const never = () => new Promise<undefined>(() => undefined);
    const hooked = { ...OPERATION, origin: 'shell', actor: 'assistant' } as const;
    expect(await runHook(never, hooked, 20)).toEqual({
      pass: false,
      reason: 'the hook did not answer within 0.02 s',
    });
    const odd = () => ({ allow: true }) as never;
    expect(await runHook(odd, hooked)).toMatchObject({ pass: false });
  });

  test('no policy, a policy that throws, and modes that throw are refusals', () => {
    const request = { ...OPERATION, origin: 'shell' } as const;
    const without = keeperWith().acting(ACTING);
    expect(without.decide(request)).toMatchObject({ decision: 'deny', rule: 'no policy' });
    const throwing = keeperWith();
    throwing.policy = {
      approval: 'ask',
      restrictsReads: false,
      decide: () => {
        throw new Error('a bad glob');
      },
    };
    expect(throwing.acting(ACTING).decide(request)).toMatchObject({
      decision: 'deny',
      reason: 'the gate failed, which refuses: a bad glob',
    });
    const modes = keeperWith({
      modes: () => {
        throw new Error('no modes');
      },
    });
    expect(modes.acting(ACTING).decide(request).decision).toBe('deny');
  });
});
