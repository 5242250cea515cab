import { Skeleton, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import classes from './Shares.module.css';

export interface Share {
  name: ReactNode;
  key: string;
  size: number;
  shown: string;
}

interface Props {
  label: string;
  shares: Share[] | undefined;
  none: string;
}

/** Names with bars, largest first. */
export function Shares({ label, shares, none }: Props) {
  if (!shares)
    return (
      <>
        {[70, 55, 40].map((width) => (
          <Skeleton key={width} h={14} w={`${width}%`} my={10} />
        ))}
      </>
    );
  if (shares.length === 0)
    return (
      <Text size="sm" className="muted" py="sm">
        {none}
      </Text>
    );
  const largest = Math.max(...shares.map(({ size }) => size), 0) || 1;
  return (
    <ul className={classes.list} aria-label={label}>
      {shares.map(({ key, name, size, shown }) => (
        <li key={key} className={classes.row}>
          <span className={classes.name}>{name}</span>
          <span className={classes.amount}>{shown}</span>
          <span className={classes.track} aria-hidden="true">
            <span
              className={classes.bar}
              style={{ width: `${Math.max(1, (size / largest) * 100)}%` }}
            />
          </span>
        </li>
      ))}
    </ul>
  );
}
