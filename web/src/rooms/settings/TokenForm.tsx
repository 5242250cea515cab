import { MultiSelect, Select, TagsInput, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import type { User } from '../../api/bodies';
import { fieldMessages } from '../../api/problem';
import { useMe } from '../../api/session';
import { FormDialog } from '../../display/FormDialog';
import { fromInput } from '../../display/instants';
import { SecretDialog } from '../../display/SecretDialog';
import { options } from '../../display/wording';
import { createToken, useChange } from './queries';

export function TokenForm({ users, onClose }: { users: User[]; onClose: () => void }) {
  const me = useMe();
  const create = useChange(createToken);
  const form = useForm({
    initialValues: {
      name: '',
      user_id: me?.id ?? '',
      roles: [] as string[],
      event_types: [] as string[],
      expires_at: '',
    },
    validate: { name: (value) => (value.trim() === '' ? 'Enter a purpose' : null) },
  });
  const owner = users.find(({ id }) => id === form.values.user_id);
  const roles = owner?.roles ?? me?.roles ?? [];
  const submit = form.onSubmit(({ name, user_id, roles: narrowed, event_types, expires_at }) => {
    create.mutate(
      {
        name: name.trim(),
        user_id: user_id === me?.id ? undefined : user_id,
        roles: narrowed,
        event_types,
        expires_at: fromInput(expires_at),
      },
      {
        onError: (error) => form.setErrors(fieldMessages(error)),
      },
    );
  });
  if (create.data)
    return (
      <SecretDialog title="The token is ready" secret={create.data.secret} onClose={onClose}>
        Scripts send it as a bearer token.
      </SecretDialog>
    );
  return (
    <FormDialog
      title="Create an API token"
      submit="Create token"
      error={create.error}
      marked={['name', 'user_id', 'roles', 'event_types', 'expires_at']}
      pending={create.isPending}
      onSubmit={submit}
      onClose={onClose}
    >
      <TextInput
        label="Purpose"
        description="Entries that are sent with the token carry it, so name the source of a log shipper"
        required
        data-autofocus
        {...form.getInputProps('name')}
      />
      {users.length > 0 && (
        <Select
          label="Acts for"
          searchable
          allowDeselect={false}
          data={users.map(({ id, name, email }) => ({ value: id, label: `${name} (${email})` }))}
          {...form.getInputProps('user_id')}
        />
      )}
      <MultiSelect
        label="Narrowed to roles"
        placeholder="All of the user's"
        data={options(roles)}
        {...form.getInputProps('roles')}
      />
      <TagsInput
        label="May append only these event types"
        description="Such as authentication.login or network.*. Leave empty for all"
        splitChars={[',', ' ']}
        {...form.getInputProps('event_types')}
      />
      <TextInput
        label="Expires"
        description="Your time zone. Leave empty for no expiry"
        type="datetime-local"
        {...form.getInputProps('expires_at')}
      />
    </FormDialog>
  );
}
