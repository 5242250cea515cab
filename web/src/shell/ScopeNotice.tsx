import { Alert } from '@mantine/core';
import { IconEye } from '@tabler/icons-react';
import type { Me } from '../api/bodies';
import { When } from '../display/When';

type Scope = NonNullable<Me['scope']>;

/** What a user with a scope sees: accounts, frameworks, and the period of the log. */
export function ScopeNotice({ of: scope }: { of: Scope }) {
  const { accounts = [], frameworks = [], log_from, log_until } = scope;
  return (
    <Alert
      color="blue"
      variant="light"
      mb="lg"
      maw={1440}
      mx="auto"
      icon={<IconEye size={20} />}
      title="You see a part of this installation"
    >
      You see {named('account', accounts) ?? 'every account'}
      {frameworks.length > 0 && `, ${named('framework', frameworks)}`}
      {(log_from || log_until) && ', and entries of the log'}
      {log_from && (
        <>
          {' '}
          from <When at={log_from} form="minute" inherit />
        </>
      )}
      {log_until && (
        <>
          {' '}
          to <When at={log_until} form="minute" inherit />
        </>
      )}
      .
    </Alert>
  );
}

function named(what: string, names: string[]): string | undefined {
  if (names.length === 0) return undefined;
  return `${what}${names.length > 1 ? 's' : ''} ${names.join(', ')}`;
}
