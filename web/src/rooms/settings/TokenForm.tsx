import { Alert, Button, Group, Modal, MultiSelect, Select, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import type { User } from '../../api/bodies';
import { fieldMessages } from '../../api/problem';
import { useMe } from '../../api/session';
import { Copyable } from '../../display/Copyable';
import { fromInput } from '../../display/instants';
import { ProblemAlert } from '../../display/ProblemAlert';
import { options } from '../../display/wording';
import { createToken, useChange } from './queries';

export function TokenForm({ users, onClose }: { users: User[]; onClose: () => void }) {
  const me = useMe();
  const create = useChange(createToken);
  const form = useForm({
    initialValues: { name: '', user_id: me?.id ?? '', roles: [] as string[], expires_at: '' },
    validate: { name: (value) => (value.trim() === '' ? 'Say what it is for' : null) },
  });
  const owner = users.find(({ id }) => id === form.values.user_id);
  const roles = owner?.roles ?? me?.roles ?? [];
  const submit = form.onSubmit(({ name, user_id, roles: narrowed, expires_at }) => {
    create.mutate({ name: name.trim(), user_id: user_id === me?.id ? undefined : user_id, roles: narrowed, expires_at: fromInput(expires_at) }, {
      onError: (error) => form.setErrors(fieldMessages(error)),
    });
  });
  if (create.data) {
    return (
      <Modal opened onClose={onClose} title={<Text fw={600}>The token is ready</Text>} closeOnClickOutside={false}>
        <Stack>
          <Alert color="yellow" variant="light" title="Copy the secret now">It is shown this once. Nobody can read it again, not even an administrator.</Alert>
          <div className="panel" style={{ padding: '12px 14px' }}><Copyable value={create.data.secret} label="Secret" /></div>
          <Group justify="flex-end"><Button onClick={onClose}>Done</Button></Group>
        </Stack>
      </Modal>
    );
  }
  return (
    <Modal opened onClose={onClose} title={<Text fw={600}>Create an API token</Text>}>
      <form onSubmit={submit}>
        <Stack>
          <TextInput label="What it is for" required data-autofocus {...form.getInputProps('name')} />
          {users.length > 0 && <Select label="Acts for" searchable allowDeselect={false} data={users.map(({ id, name, email }) => ({ value: id, label: `${name} (${email})` }))} {...form.getInputProps('user_id')} />}
          <MultiSelect label="Narrowed to roles" placeholder="All of the user's" data={options(roles)} {...form.getInputProps('roles')} />
          <TextInput label="Expires" description="Empty: never" type="datetime-local" {...form.getInputProps('expires_at')} />
          <ProblemAlert error={create.error} marked={['name', 'user_id', 'roles', 'expires_at']} />
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>Cancel</Button>
            <Button type="submit" loading={create.isPending}>Create token</Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
