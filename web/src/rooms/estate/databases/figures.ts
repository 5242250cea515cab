// Figures of a database as people read them.
import { bytes, count, shortCount } from '../../../display/amounts';
import type { Effect, PlanNode } from './queries';

const digits = new Intl.NumberFormat('en-US', { maximumSignificantDigits: 3 });
const short = new Intl.NumberFormat('en-US', {
  notation: 'compact',
  maximumSignificantDigits: 3,
});

/** A duration of a call or of many. */
export function duration(ms: number): string {
  if (ms < 1) return `${digits.format(ms)}\u00a0ms`;
  if (ms < 1000) return `${digits.format(ms)}\u00a0ms`;
  const seconds = ms / 1000;
  if (seconds < 120) return `${digits.format(seconds)}\u00a0s`;
  if (seconds < 7200) return `${digits.format(seconds / 60)}\u00a0min`;
  return `${digits.format(seconds / 3600)}\u00a0h`;
}

export function figure(value: number): string {
  return value < 10_000 ? digits.format(value) : short.format(value);
}

/** Blocks that are read, as bytes: a block of PostgreSQL has 8 KiB. */
export function blocks(value: number): string {
  return bytes(value * 8192);
}

const UNITS: Record<Effect['unit'], (value: number) => string> = {
  planner_cost: (value) => `${figure(value)} planner cost`,
  rows_examined: (value) => `${shortCount(Math.round(value))} rows read`,
  bytes,
  milliseconds: duration,
  seconds: (value) => duration(value * 1000),
  percent: (value) => `${digits.format(value)}\u00a0%`,
  count: (value) => count(Math.round(value)),
  value: figure,
};

/** A side of an effect, with its unit. */
export function effectValue(value: number, unit: Effect['unit']): string {
  return UNITS[unit](value);
}

/** The cost of a step without that of the steps below. */
export function ownCost(node: PlanNode): number {
  const below = node.children.reduce((sum, child) => sum + child.total_cost, 0);
  return Math.max(0, node.total_cost - below);
}

/** The greatest cost of a single step of a plan. */
export function greatestCost(node: PlanNode): number {
  return Math.max(ownCost(node), ...node.children.map(greatestCost));
}
