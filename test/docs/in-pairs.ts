const lanes: Promise<unknown>[] = [Promise.resolve(), Promise.resolve()];
let begun = 0;

/** Does the work when one of two lanes is free, so that two programs run at a time. */
export function inPairs<Result>(work: () => Promise<Result>): Promise<Result> {
  const lane = begun % lanes.length;
  begun += 1;
  const result = (lanes[lane] ?? Promise.resolve()).then(work);
  lanes[lane] = result.catch(() => undefined);
  return result;
}
