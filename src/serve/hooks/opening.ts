/** The hooks of a deployment: those of the services that its config mounts. */
import { ConfigError } from '../../errors.ts';
import type { CheckedConfig } from '../../world/config.ts';
import type { Host } from '../../world/plan.ts';
import type { Hook } from './hooks.ts';

/**
 * Loads what services say of their deliveries, and takes the secrets from the host's environment.
 * @throws ConfigError for a module that says it wrongly
 */
export async function openHooks({ mounts }: CheckedConfig, host: Host): Promise<Hook[]> {
  const hooks = new Map<string, Hook>();
  for (const [point, { source, settings }] of mounts) {
    if (source.webhook === undefined) continue;
    const place = {
      where: `mounts.${point}`,
      base: host.deployment ?? host.cwd,
      env: host.env,
    };
    const plan = source.plan(settings, place);
    const file = plan.kind === 'service' ? plan.module?.file : undefined;
    const webhook = await source.webhook(file).catch((error: unknown) => {
      if (!(error instanceof ConfigError)) throw error;
      throw new ConfigError(place.where, error.message, error);
    });
    if (webhook === null) continue;
    const points = [...(hooks.get(webhook.name)?.points ?? []), point];
    const secret = host.env[webhook.secretEnv] ?? '';
    hooks.set(webhook.name, { webhook, secret: secret === '' ? null : secret, points });
  }
  return [...hooks.values()];
}
