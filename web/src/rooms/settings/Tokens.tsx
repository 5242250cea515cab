import { Badge, Button, Group, Text } from '@mantine/core';
import { IconKey, IconPlus } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import type { Token } from '../../api/bodies';
import { useMay, useMe } from '../../api/session';
import { DataTable, type Column } from '../../display/DataTable';
import { EmptyState } from '../../display/EmptyState';
import { lazyComponent } from '../../display/lazy';
import { Page } from '../../display/Page';
import { ProblemAlert } from '../../display/ProblemAlert';
import { When } from '../../display/When';
import { words } from '../../display/wording';
import { Remove } from '../../display/Remove';
import { removeToken, tokensQuery, usersQuery } from './queries';

const TokenForm = lazyComponent(() => import('./TokenForm'), 'TokenForm');

export function Tokens() {
  const me = useMe();
  const administrator = useMay()('administer');
  const { data, error, refetch } = useQuery(tokensQuery);
  const users = useQuery({ ...usersQuery, enabled: administrator });
  const [adding, setAdding] = useState(false);
  const columns = useMemo((): Column<Token>[] => {
    const names = new Map(users.data?.items.map(({ id, email }) => [id, email]));
    if (me) names.set(me.id, me.email);
    return [
      {
        id: 'name',
        header: 'Token',
        sortBy: (row) => row.name,
        cell: (row) => (
          <Text size="sm" fw={550}>
            {row.name}
          </Text>
        ),
      },
      {
        id: 'user',
        header: 'Acts for',
        sortBy: (row) => names.get(row.user_id) ?? row.user_id,
        cell: (row) => names.get(row.user_id) ?? row.user_id,
      },
      {
        id: 'roles',
        header: 'Roles',
        cell: (row) =>
          row.roles.length ? (
            <Group gap={4}>
              {row.roles.map((role) => (
                <Badge key={role} color="gray">
                  {words(role)}
                </Badge>
              ))}
            </Group>
          ) : (
            <span className="muted">All of the user&apos;s</span>
          ),
      },
      {
        id: 'event_types',
        header: 'May append',
        cell: (row) =>
          row.event_types.length ? (
            <Group gap={4}>
              {row.event_types.map((type) => (
                <Badge key={type} color="gray" tt="none">
                  {type}
                </Badge>
              ))}
            </Group>
          ) : (
            <span className="muted">As its roles allow</span>
          ),
      },
      { id: 'used', header: 'Last used', cell: (row) => <When at={row.last_used_at} form="ago" /> },
      { id: 'expires', header: 'Expires', cell: (row) => <When at={row.expires_at} /> },
      {
        id: 'do',
        header: '',
        align: 'right',
        cell: (row) => (
          <Remove
            room="settings"
            what={row.name}
            verb="Revoke"
            explain="Scripts that use this token stop working immediately."
            remove={() => removeToken(row.id)}
          />
        ),
      },
    ];
  }, [users.data, me]);
  return (
    <Page
      title="API tokens"
      description="For scripts and other services. Only a hash is kept; the secret is shown once."
      actions={
        <Button leftSection={<IconPlus size={16} />} onClick={() => setAdding(true)}>
          Create token
        </Button>
      }
    >
      {error ? (
        <ProblemAlert error={error} onRetry={() => void refetch()} />
      ) : (
        <DataTable
          label="API tokens"
          columns={columns}
          rows={data?.items}
          rowId={(row) => row.id}
          pageSize={50}
          empty={
            <EmptyState title="No tokens yet" icon={<IconKey size={22} />}>
              Create a token to use the API from a script.
            </EmptyState>
          }
        />
      )}
      {adding && <TokenForm users={users.data?.items ?? []} onClose={() => setAdding(false)} />}
    </Page>
  );
}
