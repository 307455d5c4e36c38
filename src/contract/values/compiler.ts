// A separate file, so that it is loaded at the first use: it is more than half of the code taken from zod.
export { compile } from 'zod/v4/core';
