/** As kill.test.ts, at many more places. */
import { it } from 'vitest';
import { killAndGoOn } from '../../../test/stand-ins/embeddings/killing.ts';

it('killed in the middle, again and again, it goes on: no vector twice, none missing', () =>
  killAndGoOn(20));
