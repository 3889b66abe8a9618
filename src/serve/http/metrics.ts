/** Counts for Prometheus. */
import { QUEUE_STATES } from '../queue/turn.ts';
import { type Caller, requireRight } from '../rights.ts';
import type { Service } from '../service.ts';

interface Metric {
  name: string;
  help: string;
  type: 'gauge' | 'counter';
  values: readonly [labels: string, value: number][];
}

/** @throws FsError EACCES */
export function metricsText(service: Service, caller: Caller): string {
  requireRight(caller, 'look', '/metrics');
  const counts = service.journal.counts();
  const { heapUsed, rss } = process.memoryUsage();
  const metrics: Metric[] = [
    {
      name: 'dirigent_messages',
      help: 'Messages in the queue, by state.',
      type: 'gauge',
      values: QUEUE_STATES.map((state) => [`{state="${state}"}`, counts[state] ?? 0]),
    },
    {
      name: 'dirigent_turns_running',
      help: 'Turns that run now.',
      type: 'gauge',
      values: [['', service.queue.running]],
    },
    {
      name: 'dirigent_streams',
      help: 'Streams of events that are open.',
      type: 'gauge',
      values: [['', service.feeds.size]],
    },
    {
      name: 'dirigent_heap_bytes',
      help: 'Memory of the server that is in use.',
      type: 'gauge',
      values: [['', heapUsed]],
    },
    {
      name: 'dirigent_resident_bytes',
      help: 'Memory of the process.',
      type: 'gauge',
      values: [['', rss]],
    },
    {
      name: 'dirigent_start_time_seconds',
      help: 'When the server began, since the epoch.',
      type: 'gauge',
      values: [['', service.startedAt / 1000]],
    },
  ];
  return metrics.map(textOf).join('');
}

function textOf({ name, help, type, values }: Metric): string {
  const lines = values.map(([labels, value]) => `${name}${labels} ${value}\n`);
  return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${lines.join('')}`;
}
