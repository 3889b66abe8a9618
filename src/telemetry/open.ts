/**
 * Whether there are traces, and who gets them. Off unless the config or the
 * variables of OpenTelemetry ask for them: then nothing of it is even loaded.
 * A provider that the program has registered is used as it is; without one, the
 * SDK that the deployment has installed is made by the variables OTEL_*.
 */
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import type { Tracer, TracerProvider } from '@opentelemetry/api';
import { concealing, secretsOf } from '../conceal.ts';
import type { TraceExporter } from './exporter.ts';
import type { Telemetry } from './span.ts';

/** The part of a config that is about traces. */
export type TelemetryConfig = boolean | { content?: boolean | undefined };

/** What it is decided by. */
export interface TelemetrySources {
  config?: TelemetryConfig | undefined;
  env: Readonly<Record<string, string | undefined>>;
  /** Where the SDK is looked for first: the deployment's directory. */
  base: string;
  version: string;
  /** Takes them besides, whatever the environment says; null where the deployment names none. */
  exporter?: TraceExporter | null;
  /** Told why there are no traces although they are wanted. */
  onProblem(text: string): void;
}

const SDK = '@opentelemetry/sdk-trace';
const EXPORTER = '@opentelemetry/exporter-trace-otlp-http';

/** null where nobody wants traces. */
export async function openTelemetry(given: TelemetrySources): Promise<Telemetry | null> {
  // A collector may repeat the headers that it was sent.
  const conceal = concealing(secretsOf(given.env));
  const sources: TelemetrySources = {
    ...given,
    onProblem: (text) => given.onProblem(conceal(text)),
  };
  const { config, env, exporter = null } = sources;
  if (config === false) return null;
  const content =
    (typeof config === 'object' && config.content === true) ||
    env['OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT'] === 'true';
  const otel = await openOtel(sources, content);
  if (exporter === null) return otel;
  const { exportingTelemetry } = await import('./exporter.ts');
  const own = exportingTelemetry(exporter, { content, onProblem: sources.onProblem });
  if (otel === null) return own;
  return (await import('./both.ts')).bothTelemetries(otel, own);
}

/** As OpenTelemetry has it: by the provider that is registered, or by the SDK that is installed. */
async function openOtel(sources: TelemetrySources, content: boolean): Promise<Telemetry | null> {
  const { config, env, version, exporter = null } = sources;
  const byEnv = wantedBy(env);
  if (env['OTEL_SDK_DISABLED'] === 'true') return null;
  if (config === undefined && byEnv === null) return null;
  const { trace } = await import('@opentelemetry/api');
  const registered = (trace.getTracerProvider() as Registered).getDelegateTracer?.('dirigent');
  if (registered !== undefined) {
    return telemetry(trace.getTracer('dirigent', version), content, async () => undefined);
  }
  if (byEnv === null) {
    if (exporter !== null) return null;
    sources.onProblem(
      'no traces: agent.telemetry is on, but no provider is registered and OTEL_EXPORTER_OTLP_ENDPOINT is not set',
    );
    return null;
  }
  const made = makeProvider(byEnv, sources);
  if (made === null) return null;
  return telemetry(made.getTracer('dirigent', version), content, () => flush(made, sources));
}

/** The API's own provider stands for the one that is registered, if one is. */
type Registered = TracerProvider & { getDelegateTracer?(name: string): Tracer | undefined };

async function telemetry(
  tracer: Tracer,
  content: boolean,
  onFlush: () => Promise<void>,
): Promise<Telemetry> {
  const { otelSpan } = await import('./otel.ts');
  return { begin: (name, start) => otelSpan(tracer, name, start, content), flush: onFlush };
}

/** Which exporter the variables ask for; null for none. */
function wantedBy(env: TelemetrySources['env']): 'otlp' | 'console' | null {
  const named = env['OTEL_TRACES_EXPORTER'];
  if (named === 'none') return null;
  if (named === 'console' || named === 'otlp') return named;
  const endpoint =
    env['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT'] ?? env['OTEL_EXPORTER_OTLP_ENDPOINT'] ?? '';
  return endpoint === '' ? null : 'otlp';
}

type Sdk = typeof import('@opentelemetry/sdk-trace');
type Provider = InstanceType<Sdk['TracerProvider']>;
type Resources = typeof import('@opentelemetry/resources');

function makeProvider(wanted: 'otlp' | 'console', sources: TelemetrySources): Provider | null {
  const places = [join(resolve(sources.base), 'x.js'), import.meta.url];
  const sdkFile = find(SDK, places);
  const exporterFile = wanted === 'otlp' ? find(EXPORTER, places) : '';
  if (sdkFile === null || exporterFile === null) {
    const missing = [
      ...(sdkFile === null ? [SDK] : []),
      ...(exporterFile === null ? [EXPORTER] : []),
    ];
    sources.onProblem(
      `no traces: they are asked for by OTEL_*, and ${missing.join(' and ')} cannot be found; install ${missing.length > 1 ? 'them' : 'it'} beside the deployment, or unset the variables`,
    );
    return null;
  }
  const sdk = load(sdkFile) as Sdk;
  const resourcesFile = find('@opentelemetry/resources', [sdkFile]);
  const resource =
    resourcesFile === null ? undefined : resourceOf(load(resourcesFile) as Resources, sources);
  const exporter =
    wanted === 'console'
      ? new sdk.ConsoleSpanExporter()
      : told(otlpExporter(exporterFile), sources);
  return new sdk.TracerProvider({
    ...(resource === undefined ? {} : { resource }),
    spanProcessors: [new sdk.BatchSpanProcessor({ exporter })],
  });
}

type Exporter = import('@opentelemetry/sdk-trace').SpanExporter;

function otlpExporter(file: string): Exporter {
  const { OTLPTraceExporter } = load(
    file,
  ) as typeof import('@opentelemetry/exporter-trace-otlp-http');
  // It reads OTEL_EXPORTER_OTLP_* itself: address, headers, time-out, compression.
  return new OTLPTraceExporter();
}

/** `ExportResultCode.SUCCESS`. */
const SENT = 0;

/** Says once that spans were not taken: nobody looks at a trace that never came. */
function told(exporter: Exporter, { onProblem }: TelemetrySources): Exporter {
  let said = false;
  return {
    export: (spans, done) =>
      exporter.export(spans, (result) => {
        if (result.error !== undefined && !said) {
          said = true;
          onProblem(`the traces could not be sent: ${result.error.message || result.error.name}`);
        }
        // It is told: to the processor the spans are gone either way.
        done({ code: SENT });
      }),
    shutdown: () => exporter.shutdown(),
    forceFlush: async () => exporter.forceFlush?.(),
  };
}

function resourceOf(resources: Resources, { env, version }: TelemetrySources) {
  const { defaultResource, detectResources, envDetector, resourceFromAttributes } = resources;
  const own = resourceFromAttributes({
    'service.name': env['OTEL_SERVICE_NAME'] ?? 'dirigent',
    'service.version': version,
  });
  return defaultResource()
    .merge(own)
    .merge(detectResources({ detectors: [envDetector] }));
}

/** A turn's end waits no longer than this for a collector. */
const FLUSH_MS = 3_000;

async function flush(provider: Provider, { onProblem }: TelemetrySources): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${FLUSH_MS / 1000} s`)), FLUSH_MS);
  });
  try {
    await Promise.race([provider.forceFlush(), late]);
  } catch (error) {
    onProblem(
      `the traces could not be sent: ${error instanceof Error ? error.message : String(error)}`,
    );
  } finally {
    clearTimeout(timer);
  }
}

function find(name: string, places: readonly string[]): string | null {
  for (const place of places) {
    try {
      return createRequire(place).resolve(name);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'MODULE_NOT_FOUND') throw error;
    }
  }
  return null;
}

/** Packages of OpenTelemetry are CommonJS, too, and share one registry whichever form is loaded. */
const load = (file: string): unknown => createRequire(file)(file);
