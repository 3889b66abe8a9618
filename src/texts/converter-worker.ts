/** The thread in which documents are read. */
import { answerEach } from './answer-each.ts';
import { convert } from './convert/convert.ts';
import type { Conversion } from './converter.ts';

answerEach(({ format, bytes }: Conversion) => convert(format, bytes));
