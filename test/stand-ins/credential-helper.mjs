// A program that gives credentials: it asks the other side of a socket, so that none is in a file of a test's.
import { text } from 'node:stream/consumers';

const body = await text(process.stdin);
const answer = await fetch(process.argv[2], { method: 'POST', body });
process.stderr.write('what it says besides\n');
if (!answer.ok) process.exit(3);
process.stdout.write(await answer.text());
