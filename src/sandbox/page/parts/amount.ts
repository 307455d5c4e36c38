/** Decimal text with its thousands apart, such as `12 500.00`. The gap is narrow and never breaks a line. */
export function grouped(amount: string): string {
  const [whole = '', ...fraction] = amount.split('.');
  return [whole.replace(/\B(?=(?:\d{3})+$)/g, '\u202f'), ...fraction].join('.');
}
