/** A process that is killed while it makes vectors has paid for nothing twice but what was under way. */
import { it } from 'vitest';
import { killAndGoOn } from '../../../test/stand-ins/embeddings/killing.ts';

it('killed in the middle, it goes on: no vector twice, none missing', () => killAndGoOn(1));
