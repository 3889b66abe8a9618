/** All tasks, in the order in which they run over the same services. */
import { READING } from './reading.ts';
import { REFUSED } from './refused.ts';
import type { Task } from './task.ts';
import { WRITING } from './writing.ts';
import { ACROSS } from './writing-across.ts';

export const TASKS: readonly Task[] = [...READING, ...WRITING, ...ACROSS, ...REFUSED];
