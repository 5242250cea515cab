import { Text } from '@mantine/core';
import type { ReactNode } from 'react';
import classes from './Facts.module.css';

export type Fact = [label: string, value: ReactNode];

/** Names and values; what has no value is left out. */
export function Facts({ of }: { of: Fact[] }) {
  return (
    <dl className={classes.list}>
      {of
        .filter(([, value]) => value !== undefined && value !== null && value !== '')
        .map(([label, value]) => (
          <div key={label} className={classes.row}>
            <Text component="dt" size="sm" className="muted">
              {label}
            </Text>
            <Text component="dd" size="sm" m={0} style={{ overflowWrap: 'anywhere', minWidth: 0 }}>
              {value}
            </Text>
          </div>
        ))}
    </dl>
  );
}
