import { afterEach, expect, it, vi } from 'vitest';
import { notify } from '../../src/errors/notify.ts';

afterEach(() => vi.restoreAllMocks());

it('an error of a callback is printed once, thrown or rejected, an Error or a text', async () => {
  const printed: unknown[] = [];
  vi.spyOn(console, 'error').mockImplementation((_text, error) => void printed.push(error));
  const first = new Error('notify: thrown');
  const second = new Error('notify: rejected');
  for (let count = 0; count < 2; count += 1) {
    notify(() => {
      throw first;
    });
    notify(() => Promise.reject(second));
    notify(() => {
      throw 'notify: one text';
    });
    notify(() => {
      throw 'notify: another text';
    });
    await new Promise(setImmediate);
  }
  expect(new Set(printed)).toEqual(new Set([first, second, 'notify: one text', 'notify: another text']));
  expect(printed).toHaveLength(4);
});

it('a console that throws fails nothing', async () => {
  vi.spyOn(console, 'error').mockImplementation(() => {
    throw new Error('fail on console');
  });
  notify(() => {
    throw new Error('notify: beside a console that throws');
  });
  notify(() => Promise.reject(new Error('notify: rejected beside a console that throws')));
  await new Promise(setImmediate);
});
