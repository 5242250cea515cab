import {
  PasswordInput,
  SegmentedControl,
  SimpleGrid,
  Switch,
  TagsInput,
  TextInput,
} from '@mantine/core';
import { useForm } from '@mantine/form';
import type { Connection } from '../../api/bodies';
import { fieldMessages } from '../../api/problem';
import { announce } from '../../display/announce';
import { FormDialog } from '../../display/FormDialog';
import { Remove } from '../../display/Remove';
import { addConnection, changeConnection, removeConnection, useChange } from './queries';

const MARKED = [
  'name',
  'regions',
  'credentials.access_key_id',
  'credentials.secret_access_key',
  'credentials.session_token',
  'assume_role',
  'external_id',
  'endpoint',
];

/** A new AWS connection, or a change of one. Secrets go in and never come out: empty means unchanged. */
export function ConnectionForm({
  connection,
  onClose,
}: {
  connection?: Connection;
  onClose: () => void;
}) {
  const add = useChange(addConnection);
  const patch = useChange(changeConnection);
  const change = connection ? patch : add;
  const simulated = connection?.credentials_kind === 'simulated';
  const form = useForm({
    initialValues: {
      name: connection?.name ?? '',
      regions: connection?.regions ?? ['us-east-1'],
      how: connection?.credentials_kind === 'ambient' ? 'ambient' : 'key',
      credentials: { access_key_id: '', secret_access_key: '', session_token: '' },
      assume_role: connection?.assume_role ?? '',
      external_id: '',
      endpoint: connection?.endpoint ?? '',
      allow_actions: connection?.allow_actions ?? false,
      enabled: connection?.status !== 'disabled',
    },
    validate: {
      name: (value) => (value.trim() === '' ? 'Enter a name' : null),
      credentials: {
        access_key_id: (value, values) =>
          !connection && values.how === 'key' && value.trim() === ''
            ? 'Enter the access key id'
            : null,
        secret_access_key: (value, values) =>
          !connection && values.how === 'key' && value === ''
            ? 'Enter the secret access key'
            : null,
      },
    },
  });
  const submit = form.onSubmit((values) => {
    const { access_key_id, secret_access_key, session_token } = values.credentials;
    const keyed = values.how === 'key' && access_key_id.trim() !== '';
    const credentials = keyed
      ? {
          access_key_id: access_key_id.trim(),
          secret_access_key,
          session_token: session_token || undefined,
        }
      : undefined;
    const done = {
      onSuccess: () => {
        announce(connection ? 'Connection changed.' : 'Connection added.');
        onClose();
      },
      onError: (error: Error) => form.setErrors(fieldMessages(error)),
    };
    const shared = {
      name: values.name.trim(),
      regions: values.regions,
      credentials,
      allow_actions: values.allow_actions,
    };
    if (connection) {
      patch.mutate(
        {
          id: connection.id,
          ...shared,
          assume_role: values.assume_role,
          external_id: values.external_id || undefined,
          endpoint: values.endpoint,
          enabled: values.enabled,
        },
        done,
      );
    } else {
      add.mutate(
        {
          ...shared,
          provider: 'aws',
          assume_role: values.assume_role || undefined,
          external_id: values.external_id || undefined,
          endpoint: values.endpoint || undefined,
        },
        done,
      );
    }
  });
  return (
    <FormDialog
      title={connection ? `Change ${connection.name}` : 'Add an AWS connection'}
      size="lg"
      submit={connection ? 'Save' : 'Add connection'}
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
            explain="Removes its resources from Reeve. Their history stays in the audit log."
            remove={() => removeConnection(connection.id)}
            onRemoved={onClose}
          />
        )
      }
    >
      <TextInput
        label="Name"
        placeholder="Production"
        required
        data-autofocus
        {...form.getInputProps('name')}
      />
      <TagsInput
        label="Regions"
        description="Type a region and press Enter"
        {...form.getInputProps('regions')}
      />
      {!simulated && (
        <>
          <SegmentedControl
            data={[
              { value: 'key', label: 'Access key' },
              { value: 'ambient', label: "Environment's own credentials" },
            ]}
            aria-label="Credentials"
            {...form.getInputProps('how')}
          />
          {form.values.how === 'key' && (
            <SimpleGrid cols={{ base: 1, sm: 2 }}>
              <TextInput
                label="Access key id"
                withAsterisk={!connection}
                autoComplete="off"
                placeholder={connection?.access_key_id ?? undefined}
                {...form.getInputProps('credentials.access_key_id')}
              />
              <PasswordInput
                label="Secret access key"
                withAsterisk={!connection}
                autoComplete="off"
                placeholder={connection ? 'Unchanged' : undefined}
                {...form.getInputProps('credentials.secret_access_key')}
              />
              <PasswordInput
                label="Session token"
                autoComplete="off"
                placeholder="Only for temporary keys"
                {...form.getInputProps('credentials.session_token')}
              />
            </SimpleGrid>
          )}
          <SimpleGrid cols={{ base: 1, sm: 2 }}>
            <TextInput
              label="Role to assume"
              placeholder="arn:aws:iam::123456789012:role/reeve"
              {...form.getInputProps('assume_role')}
            />
            <TextInput
              label="External id"
              placeholder="If the role asks for one"
              {...form.getInputProps('external_id')}
            />
          </SimpleGrid>
          <TextInput
            label="Endpoint"
            description="Only for services compatible with AWS"
            placeholder="https://"
            {...form.getInputProps('endpoint')}
          />
        </>
      )}
      <Switch
        label="Allow changes"
        description="Without it, the connection is read-only"
        {...form.getInputProps('allow_actions', { type: 'checkbox' })}
      />
      {connection && (
        <Switch label="Switched on" {...form.getInputProps('enabled', { type: 'checkbox' })} />
      )}
    </FormDialog>
  );
}
