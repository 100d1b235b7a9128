import { InvalidArgumentError } from "commander";

export function wholeNumber(from: number, to: number = Number.MAX_SAFE_INTEGER): (text: string) => number {
  return (text) => {
    const number = /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN;
    if (number >= from && number <= to) return number;
    const range = to === Number.MAX_SAFE_INTEGER ? `of at least ${from}` : `from ${from} to ${to}`;
    throw new InvalidArgumentError(`It must be a whole number ${range}.`);
  };
}

export function formatCount(number: number): string {
  return Math.round(number).toLocaleString("en");
}

/** @param noun singular with a regular plural */
export function countText(number: number, noun: string): string {
  return `${formatCount(number)} ${noun}${number === 1 ? "" : "s"}`;
}
