import { MultiSelect, PasswordInput, Switch, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import type { Team, User } from '../../api/bodies';
import { fieldMessages } from '../../api/problem';
import { announce } from '../../display/announce';
import { FormDialog } from '../../display/FormDialog';
import { options } from '../../display/wording';
import { changeUser, createUser, ROLES, useChange } from './queries';

const MARKED = ['email', 'name', 'roles', 'teams', 'password'];

export function UserForm({
  user,
  teams,
  onClose,
}: {
  user?: User;
  teams: Team[];
  onClose: () => void;
}) {
  const create = useChange(createUser);
  const patch = useChange(changeUser);
  const change = user ? patch : create;
  const form = useForm({
    initialValues: {
      email: user?.email ?? '',
      name: user?.name ?? '',
      roles: user?.roles ?? ['regular_user'],
      teams: user?.teams ?? [],
      password: '',
      active: user?.active ?? true,
    },
    validate: {
      email: (value) => (value.includes('@') ? null : 'Enter an e-mail address'),
      name: (value) => (value.trim() === '' ? 'Enter a name' : null),
      roles: (value) => (value.length === 0 ? 'Choose at least one role' : null),
    },
  });
  const submit = form.onSubmit(({ email, password, active, ...rest }) => {
    const done = {
      onSuccess: () => {
        announce(user ? 'User changed.' : 'User added.');
        onClose();
      },
      onError: (error: Error) => form.setErrors(fieldMessages(error)),
    };
    if (user) patch.mutate({ id: user.id, ...rest, active, password: password || undefined }, done);
    else create.mutate({ ...rest, email: email.trim(), password: password || undefined }, done);
  });
  return (
    <FormDialog
      title={user ? `Change ${user.name}` : 'Add a user'}
      submit={user ? 'Save' : 'Add user'}
      error={change.error}
      marked={MARKED}
      pending={change.isPending}
      onSubmit={submit}
      onClose={onClose}
    >
      <TextInput label="Name" required data-autofocus {...form.getInputProps('name')} />
      <TextInput
        label="E-mail address"
        type="email"
        required
        readOnly={Boolean(user)}
        variant={user ? 'filled' : 'default'}
        {...form.getInputProps('email')}
      />
      <MultiSelect label="Roles" required data={options(ROLES)} {...form.getInputProps('roles')} />
      <MultiSelect
        label="Teams"
        data={teams.map(({ id, name }) => ({ value: id, label: name }))}
        placeholder={teams.length ? undefined : 'No teams yet'}
        {...form.getInputProps('teams')}
      />
      <PasswordInput
        label={user ? 'New password' : 'Password'}
        description={user ? 'Empty: unchanged' : 'Empty: signs in with API tokens only'}
        autoComplete="new-password"
        {...form.getInputProps('password')}
      />
      {user && (
        <Switch label="May sign in" {...form.getInputProps('active', { type: 'checkbox' })} />
      )}
    </FormDialog>
  );
}
