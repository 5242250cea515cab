import { PasswordInput, SimpleGrid, Switch, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import type { Connection } from '../../api/bodies';
import { fieldMessages } from '../../api/problem';
import { announce } from '../../display/announce';
import { CodeBlock } from '../../display/CodeBlock';
import { FormDialog } from '../../display/FormDialog';
import { Remove } from '../../display/Remove';
import { addConnection, changeConnection, removeConnection, useChange } from './queries';

const MARKED = ['name', 'endpoint', 'login', 'login.user', 'login.password'];

/** Rights that suffice to read: Reeve never writes to a database. */
const GRANTS = `-- PostgreSQL
CREATE ROLE reeve LOGIN PASSWORD '...' IN ROLE pg_monitor, pg_read_all_data;
-- MariaDB, MySQL
CREATE USER reeve@'%' IDENTIFIED BY '...';
GRANT SELECT, PROCESS, REPLICATION CLIENT ON *.* TO reeve@'%';`;

/** A new connection to a database, or a change of one. The password goes in and never comes out. */
export function DatabaseForm({
  connection,
  onClose,
}: {
  connection?: Connection;
  onClose: () => void;
}) {
  const add = useChange(addConnection);
  const patch = useChange(changeConnection);
  const change = connection ? patch : add;
  const form = useForm({
    initialValues: {
      name: connection?.name ?? '',
      endpoint: connection?.endpoint ?? '',
      login: { user: '', password: '' },
      enabled: connection?.status !== 'disabled',
    },
    validate: {
      name: (value) => (value.trim() === '' ? 'Enter a name' : null),
      endpoint: (value) =>
        /^(postgres|postgresql|mysql|mariadb):\/\/[^/@]+\/.+$/.test(value.trim())
          ? null
          : 'Enter an address such as postgres://db.example.com:5432/shop',
      login: {
        user: (value) => (!connection && value.trim() === '' ? 'Enter the user' : null),
        password: (value, values) =>
          value === '' && (!connection || values.login.user.trim() !== '')
            ? 'Enter the password'
            : null,
      },
    },
  });
  const submit = form.onSubmit((values) => {
    const user = values.login.user.trim();
    const shared = {
      name: values.name.trim(),
      endpoint: values.endpoint.trim(),
      login: user === '' ? undefined : { user, password: values.login.password },
    };
    const done = {
      onSuccess: () => {
        announce(connection ? 'Connection changed.' : 'Connection added.');
        onClose();
      },
      onError: (error: Error) => form.setErrors(fieldMessages(error)),
    };
    if (connection) patch.mutate({ id: connection.id, ...shared, enabled: values.enabled }, done);
    else add.mutate({ ...shared, provider: 'database', regions: [], allow_actions: false }, done);
  });
  return (
    <FormDialog
      title={connection ? `Change ${connection.name}` : 'Add a database'}
      size="lg"
      submit={connection ? 'Save' : 'Add database'}
      error={change.error}
      marked={MARKED}
      pending={change.isPending}
      onSubmit={submit}
      onClose={onClose}
      aside={
        connection && (
          <Remove
            what={connection.name}
            room="estate"
            explain="Removes the database from Reeve. Its history stays in the audit log."
            remove={() => removeConnection(connection.id)}
            onRemoved={onClose}
          />
        )
      }
    >
      <TextInput
        label="Name"
        placeholder="Shop"
        required
        data-autofocus
        {...form.getInputProps('name')}
      />
      <TextInput
        label="Address"
        description="PostgreSQL, MariaDB or MySQL, without user and password"
        placeholder="postgres://db.example.com:5432/shop"
        required
        {...form.getInputProps('endpoint')}
      />
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        <TextInput
          label="User"
          withAsterisk={!connection}
          autoComplete="off"
          placeholder={connection ? 'Unchanged' : 'reeve'}
          {...form.getInputProps('login.user')}
        />
        <PasswordInput
          label="Password"
          withAsterisk={!connection}
          autoComplete="off"
          placeholder={connection ? 'Unchanged' : undefined}
          {...form.getInputProps('login.password')}
        />
      </SimpleGrid>
      <Text size="sm" c="dimmed">
        Reading rights are enough. Reeve reads statistics and plans, one statement at a time, and
        changes nothing.
      </Text>
      <CodeBlock text={GRANTS} label="Rights of the user" />
      {connection && (
        <Switch label="Switched on" {...form.getInputProps('enabled', { type: 'checkbox' })} />
      )}
    </FormDialog>
  );
}
