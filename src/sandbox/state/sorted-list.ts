/** A list that keeps its items in order, oldest first, so that no read sorts. No two items are equal in the order. */
export class SortedList<Item> {
  readonly #items: Item[];
  readonly #isBefore: (a: Item, b: Item) => boolean;

  constructor(isBefore: (a: Item, b: Item) => boolean, ordered: Item[] = []) {
    this.#isBefore = isBefore;
    this.#items = ordered;
  }

  get length(): number {
    return this.#items.length;
  }

  get first(): Item | undefined {
    return this.#items[0];
  }

  add(item: Item): void {
    this.#items.splice(this.#placeOf(item), 0, item);
  }

  /** Removes this item. Does nothing if the list does not hold it. */
  remove(item: Item): void {
    const place = this.#placeOf(item);
    if (this.#items[place] === item) this.#items.splice(place, 1);
  }

  /** Items from `start` up to, not including, `end`, counted from the newest or from the oldest. */
  part(start: number, end: number, order: 'newest' | 'oldest'): Item[] {
    const { length } = this.#items;
    if (order === 'oldest') return this.#items.slice(start, end);
    return start >= length ? [] : this.#items.slice(Math.max(0, length - end), length - start).reverse();
  }

  /** The items that fit, as a list of its own. */
  filter(fits: (item: Item) => boolean): SortedList<Item> {
    return new SortedList(this.#isBefore, this.#items.filter(fits));
  }

  clear(): void {
    this.#items.length = 0;
  }

  /** The index of the item, or the index where it belongs. */
  #placeOf(item: Item): number {
    let [low, high] = [0, this.#items.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      const other = this.#items[middle];
      if (other !== undefined && this.#isBefore(other, item)) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
