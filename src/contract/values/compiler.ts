// A file of its own, because it is a quarter of zod, and is loaded at the first use.
export { compile } from 'zod/v4/core';
