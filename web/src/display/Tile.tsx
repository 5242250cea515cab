import { Group, Skeleton, Text } from '@mantine/core';
import { Link, type LinkProps } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import classes from './Tile.module.css';

interface Props {
  label: string;
  value: ReactNode;
  note?: ReactNode;
  icon?: ReactNode;
  loading?: boolean;
  /** The page behind the number: the whole tile leads there. */
  to?: LinkProps['to'];
}

/** One number that matters, with what it means. */
export function Tile({ label, value, note, icon, loading, to }: Props) {
  return (
    <section
      className={to ? `panel ${classes.link}` : 'panel'}
      aria-label={label}
      style={{ padding: '14px 18px 16px', minWidth: 0 }}
    >
      <Group justify="space-between" wrap="nowrap" gap="xs">
        <Text size="sm" className="muted" fw={500}>
          {to ? (
            <Link to={to} className={classes.whole}>
              {label}
            </Link>
          ) : (
            label
          )}
        </Text>
        {icon && (
          <Text span c="petrol" lh={0} aria-hidden>
            {icon}
          </Text>
        )}
      </Group>
      {loading ? (
        <Skeleton h={30} w="55%" mt={8} />
      ) : (
        <Text
          className="numeral"
          fz={26}
          fw={600}
          lh={1.25}
          mt={4}
          style={{ letterSpacing: '-0.015em' }}
        >
          {value}
        </Text>
      )}
      {note && (
        <Text component="div" size="xs" className="muted" mt={4}>
          {loading ? <Skeleton h={12} w="80%" /> : note}
        </Text>
      )}
    </section>
  );
}
