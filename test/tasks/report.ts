/**
 * Runs the tasks over fresh services and prints what each cost: the lines that the agent typed, the
 * requests that the services got, and the bytes of their answers. Status 1 if any did not hold.
 *
 *   npm run tasks
 */
import { closeServices, startServices } from './services.ts';
import { TASKS } from './table.ts';
import { runTask, type TaskCost } from './task.ts';

const columns = ['commands', 'requests', 'writes', 'bytes'] as const;
const services = await startServices();
const total: TaskCost = { commands: 0, requests: 0, writes: 0, bytes: 0 };
try {
  console.log(`${columns.map((name) => name.padStart(12)).join('')}  task`);
  for (const task of TASKS) {
    try {
      const { cost } = await runTask(task, services);
      for (const name of columns) total[name] += cost[name];
      console.log(`${cells(cost)}  ${task.name}`);
    } catch (error) {
      process.exitCode = 1;
      console.log(`${'failed'.padStart(12)}${' '.repeat(36)}  ${task.name}`);
      console.error(error instanceof Error ? error.message : error);
    }
  }
  console.log(
    `${cells(total)}  all ${TASKS.length}, each in a world that had fetched nothing before`,
  );
} finally {
  await closeServices(services);
}

function cells(cost: TaskCost): string {
  return columns.map((name) => cost[name].toLocaleString('en').padStart(12)).join('');
}
