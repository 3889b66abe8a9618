/**
 * Two commands of a deployment's own: `lines FILE…` counts lines, and `which-mount FILE…` says where
 * a path is mounted. They read through the namespace, as every command does, so that the policy, and
 * the modes of the mounts, hold for them too.
 */
import { type CommandModule, defineCommand, isFsError } from '../../src/command.ts';

const commands: CommandModule = ({ fs, mounts }) => [
  defineCommand('lines', async (names, { cwd }) => {
    let [stdout, stderr] = ['', ''];
    for (const name of names) {
      try {
        const text = await fs.readFile(fs.resolvePath(cwd, name));
        stdout += `${text.split('\n').length - 1}\t${name}\n`;
      } catch (error) {
        // What is no failure of a file is a fault of this command.
        if (!isFsError(error)) throw error;
        stderr += `lines: ${name}: ${error.strerror}\n`;
      }
    }
    return { stdout, stderr, exitCode: stderr === '' ? 0 : 1 };
  }),
  defineCommand('which-mount', async (names, { cwd }) => {
    const points = (mounts?.() ?? []).map(({ point, kind }) => ({ point, kind }));
    const rows = names.map((name) => {
      const path = fs.resolvePath(cwd, name);
      const holds = (point: string): boolean =>
        point === '/' || path === point || path.startsWith(`${point}/`);
      // The longest mount point comes last.
      const { point, kind } = points.findLast((each) => holds(each.point)) ?? {
        point: '/',
        kind: '',
      };
      return `${point}\t${kind}\t${path}\n`;
    });
    return { stdout: rows.join(''), stderr: '', exitCode: 0 };
  }),
];

export default commands;
