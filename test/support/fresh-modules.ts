// Before each file of tests: the modules of src begin anew, with nothing printed yet. Those of the dependencies stay, so
// that a hundred files do not load them a hundred times.
import { vi } from 'vitest';

vi.resetModules();
vi.unstubAllEnvs();
vi.unstubAllGlobals();
vi.useRealTimers();
