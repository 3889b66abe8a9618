/**
 * Fails where a bundler took the package in. It is the first import of the
 * library: of what comes after it, some would fail in a bundle without saying why.
 */
import { workerModule } from './runtime.ts';

workerModule();
