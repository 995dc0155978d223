"""The people who judge: how lenient, how much of one mind with the others, and who weighs most."""
