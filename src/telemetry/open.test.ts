/** Whether there are traces is decided before anything of them is loaded, and said where they cannot be. */
import { expect, test } from 'vitest';
import { openTelemetry, type TelemetrySources } from './open.ts';

async function asked(given: Pick<TelemetrySources, 'config'> & Partial<TelemetrySources>) {
  const problems: string[] = [];
  const telemetry = await openTelemetry({
    env: {},
    base: import.meta.dirname,
    version: '0',
    onProblem: (text) => problems.push(text),
    ...given,
  });
  return { telemetry, problems };
}

const ENDPOINT = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9' };

test.each([
  ['nobody', { config: undefined }],
  ['the config says no, whatever the variables say', { config: false, env: ENDPOINT }],
  [
    'the variables say no, whatever the config says',
    { config: true, env: { OTEL_SDK_DISABLED: 'true' } },
  ],
])('there are none, and nothing is said, where %s wants them', async (_, given) => {
  expect(await asked(given)).toEqual({ telemetry: null, problems: [] });
});

test('where they are wanted and have nowhere to go, that is said once', async () => {
  const { telemetry, problems } = await asked({ config: true });
  expect(telemetry).toBeNull();
  expect(problems).toEqual([expect.stringContaining('OTEL_EXPORTER_OTLP_ENDPOINT is not set')]);
});
