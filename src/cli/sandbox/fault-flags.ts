import { endpoints } from '../../contract/endpoints.ts';
import type { SeedFault } from '../../sandbox/index.ts';
import { DELIVERY_FAULTS, REQUEST_FAULTS } from '../../sandbox/state/faults.ts';
import { misuse } from '../io.ts';

const TYPES = [...REQUEST_FAULTS, ...DELIVERY_FAULTS];
const OPERATIONS = Object.values(endpoints).map(({ operation }) => operation);

/** `type`, `type:rate`, `type@operation` and `type@operation:rate` flags as faults. Without a rate: once. */
export function faultsFromFlags(
  flags: readonly string[],
  seed: number | string | undefined,
  mend: string,
): SeedFault[] {
  return flags.map((flag) => {
    const [, name = '', place, rateText] = /^([^@:]*)(?:@([^:]*))?(?::(.*))?$/.exec(flag) ?? [];
    const fault = TYPES.find((type) => type === name);
    if (fault === undefined)
      throw misuse(`there is no fault ${JSON.stringify(name)}; there are ${TYPES.join(', ')}`, mend);
    const operation = OPERATIONS.find((each) => each === place);
    if (place !== undefined && operation === undefined) {
      throw misuse(`there is no operation ${JSON.stringify(place)}; there are ${OPERATIONS.join(', ')}`, mend);
    }
    const rate = rateText === undefined ? 1 : Number(rateText);
    if (rateText === '' || !(rate > 0 && rate <= 1)) {
      throw misuse(`the rate of --fault ${flag} must be above 0 and up to 1, such as ${name}:0.2`, mend);
    }
    return {
      fault,
      ...(operation === undefined ? {} : { operation }),
      ...(rateText === undefined ? {} : { rate, times: Number.POSITIVE_INFINITY, seed: `${seed ?? 1} ${flag}` }),
    };
  });
}
